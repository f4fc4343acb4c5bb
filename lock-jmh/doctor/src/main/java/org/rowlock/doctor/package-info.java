/**
 * Looks at a running server, changes nothing, and says whether row locks hurt it and what to do. Start at {@link
 * org.rowlock.doctor.Doctor}. A record per view of the server reads itself ({@code Server}, {@code Sample},
 * {@code Counters}, ...); {@code Judgement} judges them without a server; {@code TextReport} and {@code JsonReport} show
 * it.
 */
@NullMarked
package org.rowlock.doctor;

import org.jspecify.annotations.NullMarked;
