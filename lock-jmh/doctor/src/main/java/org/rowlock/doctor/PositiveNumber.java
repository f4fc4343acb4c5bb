package org.rowlock.doctor;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a number of things, of which there is one at least. */
public final class PositiveNumber implements ITypeConverter<Integer> {
    /** More clients, seconds or rounds are a slip of the finger. */
    private static final int MOST = 100_000;

    @Override
    public Integer convert(String text) {
        try {
            int number = Integer.parseInt(text.trim());
            if (number >= 1 && number <= MOST) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new TypeConversionException("'" + text + "' is not a whole number from 1 to " + MOST);
    }
}
