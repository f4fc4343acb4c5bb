package org.rowlock.jmh.cli;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Which of the variants with and without admission are compared. */
enum Admission {
    ON,
    OFF,
    BOTH;

    boolean includes(boolean admission) {
        return this == BOTH || admission == (this == ON);
    }

    /** Reads one. */
    static final class Converter implements ITypeConverter<Admission> {
        @Override
        public Admission convert(String text) {
            try {
                return valueOf(text.trim().toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + text + "' is none of on, off and both");
            }
        }
    }
}
