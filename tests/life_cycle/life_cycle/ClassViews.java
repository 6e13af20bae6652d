import java.io.ObjectStreamClass;
import java.io.PrintWriter;
import java.io.Serializable;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.TypeVariable;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes everything that a program can ask of its classes into a file, each time it is told to by a line of standard input:
 * {@code ClassViews SOURCE...}, where a source is {@code N} (that many classes of java.base), a jar, or a folder with classes.
 * A line {@code view FILE} writes, {@code pools FILE} the sizes of constant pools, {@code end} returns. Each line of a file begins with the name of a class.
 */
public final class ClassViews {
    private static final ClassLoader LOADER = ClassViews.class.getClassLoader();
    private static PrintWriter out;
    private static String prefix;

    public static void main(String[] sources) throws Exception {
        List<Class<?>> classes = new ArrayList<>();
        for (String source : sources) {
            classes.addAll(classesOf(source));
        }
        say("READY " + classes.size());
        while (true) {
            String[] told = line().split(" ");
            if (told[0].equals("end")) {
                say("END");
                return;
            }
            try (PrintWriter file = new PrintWriter(told[1], "UTF-8")) {
                out = file;
                classes.forEach(told[0].equals("view") ? ClassViews::view : ClassViews::pool);
            }
            say("DONE");
        }
    }

    private static List<Class<?>> classesOf(String source) throws Exception {
        if (source.matches("\\d+")) {
            FileSystem jdk = FileSystems.getFileSystem(URI.create("jrt:/"));
            return load(jdk.getPath("/modules/java.base"), Integer.parseInt(source));
        }
        Path path = Paths.get(source);
        if (Files.isDirectory(path)) {
            return load(path, Integer.MAX_VALUE);
        }
        try (FileSystem jar = FileSystems.newFileSystem(path, (ClassLoader) null)) {
            return load(jar.getPath("/"), Integer.MAX_VALUE);
        }
    }

    private static List<Class<?>> load(Path root, int most) throws Exception {
        List<String> names;
        try (Stream<Path> files = Files.walk(root)) {
            names = files.map(file -> root.relativize(file).toString())
                    .filter(name -> name.endsWith(".class") && !name.contains("-info") && !name.startsWith("META-INF"))
                    .sorted().limit(most).collect(Collectors.toList());
        }
        List<Class<?>> classes = new ArrayList<>();
        for (String name : names) {
            try {
                classes.add(Class.forName(name.substring(0, name.length() - 6).replace('/', '.'), false, LOADER));
            } catch (ClassNotFoundException | LinkageError unusable) {
                // Its libraries are not there.
            }
        }
        return classes;
    }

    private static void pool(Class<?> c) {
        prefix = c.getName() + " ";
        say("pool", () -> {
            Method getter = Class.class.getDeclaredMethod("getConstantPool");
            getter.setAccessible(true);
            Object pool = getter.invoke(c);
            Method size = pool.getClass().getMethod("getSize");
            size.setAccessible(true);
            return String.valueOf(size.invoke(pool));
        });
    }

    private static void view(Class<?> c) {
        prefix = c.getName() + " ";
        say("modifiers", () -> Integer.toHexString(c.getModifiers()) + " " + c.toGenericString());
        say("names", () -> c.getSimpleName() + " " + c.getCanonicalName() + " " + c.getTypeName());
        say("kind", () -> c.isAnonymousClass() + " " + c.isLocalClass() + " " + c.isMemberClass() + " " + c.isSynthetic() + " " + c.isEnum());
        say("super", () -> typeOf(c.getAnnotatedSuperclass()) + types(c.getAnnotatedInterfaces()));
        say("annotations", () -> annotations(c) + variables(c.getTypeParameters()));
        say("enclosing", () -> c.getEnclosingClass() + " " + c.getEnclosingMethod() + " " + c.getEnclosingConstructor() + " " + c.getDeclaringClass());
        say("inner", () -> Arrays.toString(c.getDeclaredClasses()));
        say("nest", () -> c.getNestHost() + " " + Arrays.toString(c.getNestMembers()));
        say("permitted", () -> asked(c, "getPermittedSubclasses"));
        say("record", () -> asked(c, "getRecordComponents"));
        say("domain", () -> System.identityHashCode(c.getProtectionDomain()) + " " + c.getModule() + " " + c.getPackageName());
        say("signers", () -> Arrays.toString(c.getSigners()) + " " + c.desiredAssertionStatus());
        say("serial", () -> c.getName().startsWith("Viewed") && Serializable.class.isAssignableFrom(c)
                ? "" + ObjectStreamClass.lookup(c).getSerialVersionUID() : "");
        each("field", c::getDeclaredFields, ClassViews::field);
        each("constructor", c::getDeclaredConstructors, ClassViews::executable);
        each("method", c::getDeclaredMethods, ClassViews::method);
        say("public", () -> Arrays.toString(c.getMethods()));
        out.flush();
    }

    private static String field(Field f) {
        return f.toGenericString() + " " + f.isSynthetic() + annotations(f) + typeOf(f.getAnnotatedType());
    }

    private static String method(Method m) {
        return executable(m) + " " + m.isBridge() + " " + m.isDefault() + " " + text(m.getDefaultValue()) + typeOf(m.getAnnotatedReturnType());
    }

    private static String executable(Executable e) {
        StringBuilder text = new StringBuilder(e.toGenericString() + " " + Integer.toHexString(e.getModifiers()) + " " + e.isSynthetic() + " " + e.isVarArgs());
        text.append(annotations(e)).append(variables(e.getTypeParameters())).append(Arrays.deepToString(e.getParameterAnnotations()));
        for (Parameter p : e.getParameters()) {
            text.append(' ').append(p).append(p.isNamePresent()).append(p.getModifiers()).append(annotations(p)).append(typeOf(p.getAnnotatedType()));
        }
        return text + types(e.getAnnotatedExceptionTypes()) + typeOf(e.getAnnotatedReceiverType());
    }

    private static String annotations(AnnotatedElement element) {
        return " " + Arrays.toString(element.getDeclaredAnnotations());
    }

    private static String variables(TypeVariable<?>[] variables) {
        StringBuilder text = new StringBuilder();
        for (TypeVariable<?> variable : variables) {
            text.append(variable).append(annotations(variable)).append(types(variable.getAnnotatedBounds()));
        }
        return text.toString();
    }

    private static String types(AnnotatedType[] types) {
        return Arrays.stream(types).map(ClassViews::typeOf).collect(Collectors.joining(",", "[", "]"));
    }

    /** The type with the annotations of all its parts. */
    private static String typeOf(AnnotatedType type) {
        if (type == null) {
            return "";
        }
        Annotation[] own = type.getDeclaredAnnotations();
        String text = " " + type.getType() + (own.length == 0 ? "" : Arrays.toString(own));
        if (type instanceof AnnotatedParameterizedType) {
            return text + types(((AnnotatedParameterizedType) type).getAnnotatedActualTypeArguments());
        }
        if (type instanceof AnnotatedArrayType) {
            return text + typeOf(((AnnotatedArrayType) type).getAnnotatedGenericComponentType());
        }
        if (type instanceof AnnotatedWildcardType) {
            return text + types(((AnnotatedWildcardType) type).getAnnotatedUpperBounds()) + types(((AnnotatedWildcardType) type).getAnnotatedLowerBounds());
        }
        return text;
    }

    /** What later releases tell: an array, of record components with all that is known of each. */
    private static String asked(Class<?> c, String name) throws Exception {
        Method getter;
        try {
            getter = Class.class.getMethod(name);
        } catch (NoSuchMethodException older) {
            return "";
        }
        Object[] all = (Object[]) getter.invoke(c);
        StringBuilder text = new StringBuilder(Arrays.toString(all));
        for (Object one : all == null ? new Object[0] : all) {
            if (one instanceof AnnotatedElement && !(one instanceof Class)) {
                text.append(annotations((AnnotatedElement) one));
                text.append(' ').append(one.getClass().getMethod("getGenericSignature").invoke(one));
                text.append(typeOf((AnnotatedType) one.getClass().getMethod("getAnnotatedType").invoke(one)));
                text.append(' ').append(one.getClass().getMethod("getAccessor").invoke(one));
            }
        }
        return text.toString();
    }

    private static String text(Object value) {
        String text = Arrays.deepToString(new Object[] {value});
        return text.substring(1, text.length() - 1);
    }

    private interface View<T> {
        String of(T member);
    }

    private static <T> void each(String what, Callable<T[]> members, View<T> view) {
        T[] all;
        try {
            all = members.call();
        } catch (Exception | LinkageError failure) {
            say(what, failure::toString);
            return;
        }
        for (int i = 0; i < all.length; i++) {
            T member = all[i];
            say(what + " " + i, () -> view.of(member));
        }
    }

    private static void say(String what, Callable<String> view) {
        String text;
        try {
            text = view.call();
        } catch (Throwable failure) {
            text = failure.toString();
        }
        out.println(prefix + what + ": " + text.replace('\n', ' '));
    }

    private static void say(String text) {
        System.out.println(text);
        System.out.flush();
    }

    private static String line() throws Exception {
        StringBuilder line = new StringBuilder();
        for (int c = System.in.read(); c != '\n'; c = System.in.read()) {
            if (c < 0) {
                return "end";
            }
            line.append((char) c);
        }
        return line.toString();
    }
}
