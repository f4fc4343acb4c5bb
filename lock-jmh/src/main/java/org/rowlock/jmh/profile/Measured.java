package org.rowlock.jmh.profile;

/**
 * A number with its unit.
 *
 * @param unit empty for none
 */
public record Measured(double value, String unit) {}
