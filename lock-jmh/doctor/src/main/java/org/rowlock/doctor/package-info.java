/**
 * Looks at a running server, changes nothing, and says whether row locks hurt it and what to do. Start at {@link
 * org.rowlock.doctor.Doctor}. Data flows one way: the {@code ServerQuery}s, SQL in files beside the classes, become
 * {@code Samples} and differences of counters; these are {@code Seen}, which the {@code Rules} judge without a server;
 * a {@code Diagnosis} is shown by {@code Screen}.
 */
@NullMarked
package org.rowlock.doctor;

import org.jspecify.annotations.NullMarked;
