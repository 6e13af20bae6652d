import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * All ways in which a reference in the heap can be overwritten without native code of the program's own.
 *
 * <p>Each way in {@link #CELLS} has a cell of its own type, whose field takes the values 0, 1, 2, ... one after the other (so the old target is the value before), or, where
 * the way stores into an array, element 0 of an array of its own type. A way of {@link #COPIES} makes a new object or array in each round, whose only target is the round's
 * value. A way of {@link #STATICS} stores into a static field.
 */
final class KindsOfUpdate {
    static final int ROUNDS = Integer.getInteger("rounds", 400);

    static final class Value implements Serializable { int number; }

    static final class PutField { Value value; }
    static final class ByReflection { Value value; }
    static final class BySetter { Value value; }
    static final class VarHandleSet { Value value; }
    static final class VarHandleVolatile { volatile Value value; }
    static final class VarHandleRelease { Value value; }
    static final class VarHandleOpaque { Value value; }
    static final class CompareAndSet { volatile Value value; }
    static final class CompareAndExchange { volatile Value value; }
    static final class WeakCompareAndSet { volatile Value value; }
    static final class GetAndSet { volatile Value value; }
    static final class UpdaterSet { volatile Value value; }
    static final class UpdaterLazySet { volatile Value value; }
    static final class UpdaterCompareAndSet { volatile Value value; }
    static final class UpdaterGetAndSet { volatile Value value; }
    static final class UnsafePut { Value value; }
    static final class UnsafePutVolatile { volatile Value value; }
    static final class UnsafePutOrdered { volatile Value value; }
    static final class UnsafeCompareAndSwap { volatile Value value; }

    static final class Cloned implements Cloneable {
        Value value;

        Cloned copy() throws CloneNotSupportedException {
            return (Cloned) clone();
        }
    }

    static final class Deserialized implements Serializable { Value value; }

    static Value putStatic;
    static Value staticByReflection;
    static Value staticByVarHandle;
    static volatile Object sink;

    static final class Ways {
        final PutField putField = new PutField();
        final ByReflection byReflection = new ByReflection();
        final BySetter bySetter = new BySetter();
        final VarHandleSet varHandleSet = new VarHandleSet();
        final VarHandleVolatile varHandleVolatile = new VarHandleVolatile();
        final VarHandleRelease varHandleRelease = new VarHandleRelease();
        final VarHandleOpaque varHandleOpaque = new VarHandleOpaque();
        final CompareAndSet compareAndSet = new CompareAndSet();
        final CompareAndExchange compareAndExchange = new CompareAndExchange();
        final WeakCompareAndSet weakCompareAndSet = new WeakCompareAndSet();
        final GetAndSet getAndSet = new GetAndSet();
        final UpdaterSet updaterSet = new UpdaterSet();
        final UpdaterLazySet updaterLazySet = new UpdaterLazySet();
        final UpdaterCompareAndSet updaterCompareAndSet = new UpdaterCompareAndSet();
        final UpdaterGetAndSet updaterGetAndSet = new UpdaterGetAndSet();
        final UnsafePut unsafePut = new UnsafePut();
        final UnsafePutVolatile unsafePutVolatile = new UnsafePutVolatile();
        final UnsafePutOrdered unsafePutOrdered = new UnsafePutOrdered();
        final UnsafeCompareAndSwap unsafeCompareAndSwap = new UnsafeCompareAndSwap();
    }

    static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    static VarHandle handle(Class<?> cell) throws Exception {
        return LOOKUP.findVarHandle(cell, "value", Value.class);
    }

    static final VarHandle SET;
    static final VarHandle VOLATILE;
    static final VarHandle RELEASE;
    static final VarHandle OPAQUE;
    static final VarHandle CAS;
    static final VarHandle EXCHANGE;
    static final VarHandle WEAK;
    static final VarHandle GET_AND_SET;
    static final VarHandle STATIC;
    static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(Value[].class);
    static final MethodHandle SETTER;

    static {
        try {
            SET = handle(VarHandleSet.class);
            VOLATILE = handle(VarHandleVolatile.class);
            RELEASE = handle(VarHandleRelease.class);
            OPAQUE = handle(VarHandleOpaque.class);
            CAS = handle(CompareAndSet.class);
            EXCHANGE = handle(CompareAndExchange.class);
            WEAK = handle(WeakCompareAndSet.class);
            GET_AND_SET = handle(GetAndSet.class);
            STATIC = LOOKUP.findStaticVarHandle(KindsOfUpdate.class, "staticByVarHandle", Value.class);
            SETTER = LOOKUP.findSetter(BySetter.class, "value", Value.class);
        } catch (Exception error) {
            throw new AssertionError(error);
        }
    }

    static final AtomicReferenceFieldUpdater<UpdaterSet, Value> UPDATER_SET =
            AtomicReferenceFieldUpdater.newUpdater(UpdaterSet.class, Value.class, "value");
    static final AtomicReferenceFieldUpdater<UpdaterLazySet, Value> UPDATER_LAZY =
            AtomicReferenceFieldUpdater.newUpdater(UpdaterLazySet.class, Value.class, "value");
    static final AtomicReferenceFieldUpdater<UpdaterCompareAndSet, Value> UPDATER_CAS =
            AtomicReferenceFieldUpdater.newUpdater(UpdaterCompareAndSet.class, Value.class, "value");
    static final AtomicReferenceFieldUpdater<UpdaterGetAndSet, Value> UPDATER_SWAP =
            AtomicReferenceFieldUpdater.newUpdater(UpdaterGetAndSet.class, Value.class, "value");

    static void check(boolean isTrue) {
        if (!isTrue) {
            throw new AssertionError();
        }
    }

    static sun.misc.Unsafe unsafe() throws Exception {
        Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        return (sun.misc.Unsafe) field.get(null);
    }

    static void fields(Ways ways, Value now, Value before, Field byReflection) throws Throwable {
        ways.putField.value = now;
        byReflection.set(ways.byReflection, now);
        SETTER.invokeExact(ways.bySetter, now);
        SET.set(ways.varHandleSet, now);
        VOLATILE.setVolatile(ways.varHandleVolatile, now);
        RELEASE.setRelease(ways.varHandleRelease, now);
        OPAQUE.setOpaque(ways.varHandleOpaque, now);
        check(CAS.compareAndSet(ways.compareAndSet, before, now));
        check(!CAS.compareAndSet(ways.compareAndSet, before, before) || before == now);
        check((Value) EXCHANGE.compareAndExchange(ways.compareAndExchange, before, now) == before);
        while (!WEAK.weakCompareAndSet(ways.weakCompareAndSet, before, now)) {
            Thread.onSpinWait();
        }
        check((Value) GET_AND_SET.getAndSet(ways.getAndSet, now) == before);
        UPDATER_SET.set(ways.updaterSet, now);
        UPDATER_LAZY.lazySet(ways.updaterLazySet, now);
        check(UPDATER_CAS.compareAndSet(ways.updaterCompareAndSet, before, now));
        check(UPDATER_SWAP.getAndSet(ways.updaterGetAndSet, now) == before);
    }

    static void unsafeFields(sun.misc.Unsafe unsafe, Ways ways, Value now, Value before, long[] offsets) {
        unsafe.putObject(ways.unsafePut, offsets[0], now);
        unsafe.putObjectVolatile(ways.unsafePutVolatile, offsets[1], now);
        unsafe.putOrderedObject(ways.unsafePutOrdered, offsets[2], now);
        check(unsafe.compareAndSwapObject(ways.unsafeCompareAndSwap, offsets[3], before, now));
    }

    static void elements(Value[][] arrays, Value now, Value before) {
        arrays[0][0] = now;
        ELEMENT.set(arrays[1], 0, now);
        check(ELEMENT.compareAndSet(arrays[2], 0, before, now));
        Array.set(arrays[3], 0, now);
        Arrays.fill(arrays[4], now);
        Value[] source = {now};
        System.arraycopy(source, 0, arrays[5], 0, 1);
    }

    static void copies(Value now, byte[] bytes) throws Exception {
        Cloned cloned = new Cloned();
        cloned.value = now;
        sink = cloned.copy();
        Value[] one = {now};
        sink = one.clone();
        sink = Arrays.copyOf(one, 1);
        sink = Arrays.copyOfRange(one, 0, 1);
        ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes));
        check(((Deserialized) in.readObject()).value.number == 7);
    }

    static void statics(Value now, Field byReflection) throws Exception {
        putStatic = now;
        byReflection.set(null, now);
        STATIC.set(now);
    }

    static byte[] serialized() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ObjectOutputStream out = new ObjectOutputStream(bytes);
        Deserialized object = new Deserialized();
        object.value = new Value();
        object.value.number = 7;
        out.writeObject(object);
        out.close();
        return bytes.toByteArray();
    }

    public static void main(String[] words) throws Throwable {
        Ways ways = new Ways();
        sun.misc.Unsafe unsafe = unsafe();
        Class<?>[] cells = {UnsafePut.class, UnsafePutVolatile.class, UnsafePutOrdered.class, UnsafeCompareAndSwap.class};
        long[] offsets = new long[cells.length];
        for (int i = 0; i < cells.length; i++) {
            offsets[i] = unsafe.objectFieldOffset(cells[i].getDeclaredField("value"));
        }
        Value[][] arrays = {new Value[1], new Value[1], new Value[1], new Value[1], new Value[1], new Value[1]};
        Field byReflection = ByReflection.class.getDeclaredField("value");
        Field staticByReflection = KindsOfUpdate.class.getDeclaredField("staticByReflection");
        byte[] bytes = serialized();
        Value before = null;
        for (int i = 0; i < ROUNDS; i++) {
            Value now = new Value();
            fields(ways, now, before, byReflection);
            unsafeFields(unsafe, ways, now, before, offsets);
            elements(arrays, now, before);
            copies(now, bytes);
            statics(now, staticByReflection);
            sink = new byte[10_000];
            before = now;
        }
        System.out.println("done");
    }
}
