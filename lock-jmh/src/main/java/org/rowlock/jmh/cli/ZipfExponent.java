package org.rowlock.jmh.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the exponent of a zipfian distribution. */
final class ZipfExponent implements ITypeConverter<Double> {
    /** Beyond this all clients want one key. */
    private static final double MOST = 20;

    @Override
    public Double convert(String text) {
        try {
            double exponent = Double.parseDouble(text.trim());
            if (exponent >= 0 && exponent <= MOST) {
                return exponent;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw new TypeConversionException("'" + text + "' is not a number from 0 to 20, such as 1.1");
    }
}
