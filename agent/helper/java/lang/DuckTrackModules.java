package java.lang;

import jdk.internal.loader.BootLoader;
import jdk.internal.vm.annotation.Hidden;

/**
 * Keeps modules from reading the unnamed modules only because this agent changes their classes.
 * {@code jdk.internal.module.Modules.transformedByAgent}, which the VM calls for that, calls {@link #reader} first.
 */
public final class DuckTrackModules {
    /** An unnamed module reads all modules anyway. */
    private static final Module UNNAMED = BootLoader.getUnnamedModule();

    private DuckTrackModules() {}

    /** The module that is to read the unnamed modules: this one, or one that already does. */
    @Hidden
    public static Module reader(Module module) {
        return withhold(module) ? UNNAMED : module;
    }

    /** Whether the agent remembers the module, for other agents that may come. */
    private static native boolean withhold(Module module);

    /**
     * Lets {@code java.base} read all unnamed modules until {@link #end}: the VM then finds nothing to add. False: it does already.
     * {@code reads} is the table of the class {@code Module}, where this value is the only one that is not true.
     */
    static boolean begin(WeakPairMap<Module, Module, Boolean> reads, Module allUnnamed) {
        Module base = Object.class.getModule();
        if (base.canRead(UNNAMED)) {
            return false;
        }
        reads.putIfAbsent(base, allUnnamed, Boolean.FALSE);
        return true;
    }

    static void end(WeakPairMap<Module, Module, Boolean> reads) {
        reads.values().remove(Boolean.FALSE);
    }
}
