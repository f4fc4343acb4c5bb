package org.rowlock.tool;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

public final class PositiveNumber implements ITypeConverter<Integer> {
    /** The limit for clients, seconds and rounds. A larger number is probably a typing error. */
    private static final int MOST = 100_000;

    @Override
    public Integer convert(String text) {
        try {
            int number = Integer.parseInt(text.trim());
            if (number >= 1 && number <= MOST) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The error is reported below.
        }
        throw new TypeConversionException("'" + text + "' is not a whole number from 1 to " + MOST);
    }
}
