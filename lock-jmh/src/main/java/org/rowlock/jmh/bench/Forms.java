package org.rowlock.jmh.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;

/** Reads what a scenario compares where it is not one of {@link Variant}: Rowlock's strategies and SQL of its own. */
final class Forms {
    private static final String ADMISSION = "+admission";

    private Forms() {}

    /**
     * The form of this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    static <E extends Enum<E>> E parse(Class<E> forms, String text) {
        String name = text.trim().toUpperCase(Locale.ROOT);
        return Arrays.stream(forms.getEnumConstants())
                .filter(form -> form.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no variant " + text + " here; give one of "
                        + Arrays.stream(forms.getEnumConstants())
                                .map(Enum::name)
                                .collect(Collectors.joining(", "))));
    }

    /**
     * Whether a variant is written with {@code +admission} behind it.
     *
     * @throws IllegalArgumentException if it is, and is not one of Rowlock's strategies
     */
    static boolean hasAdmission(String variant) {
        if (!variant.endsWith(ADMISSION)) {
            return false;
        }
        String form = withoutAdmission(variant);
        if (Arrays.stream(LockStrategy.values())
                .noneMatch(strategy -> strategy.name().equals(form))) {
            throw new IllegalArgumentException("Only Rowlock's strategies have " + ADMISSION + ", not " + form);
        }
        return true;
    }

    static String withoutAdmission(String variant) {
        return variant.endsWith(ADMISSION) ? variant.substring(0, variant.length() - ADMISSION.length()) : variant;
    }

    /** Row locks of a strategy, to be configured further. */
    static RowLocks.Builder locks(String strategy) {
        return RowLocks.builder().strategy(LockStrategy.valueOf(strategy));
    }
}
