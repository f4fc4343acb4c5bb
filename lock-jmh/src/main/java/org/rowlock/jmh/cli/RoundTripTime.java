package org.rowlock.jmh.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

final class RoundTripTime implements ITypeConverter<Double> {
    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?) ?(ms|us)?");
    private static final double MOST_MILLIS = 1_000;

    @Override
    public Double convert(String text) {
        Matcher matcher = FORM.matcher(text.trim().toLowerCase(Locale.ROOT));
        if (matcher.matches()) {
            double number = Double.parseDouble(matcher.group(1));
            double millis = "us".equals(matcher.group(2)) ? number / 1e3 : number;
            // A number without a unit is ambiguous, unless it is 0.
            if ((matcher.group(2) != null || millis == 0) && millis <= MOST_MILLIS) {
                return millis;
            }
        }
        throw new TypeConversionException("'" + text + "' is not a time from 0 to 1000ms, such as 0.5ms or 500us");
    }
}
