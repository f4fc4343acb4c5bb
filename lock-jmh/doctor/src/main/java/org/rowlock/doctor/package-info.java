/**
 * Examines a running server without changing it, and reports whether row locks hurt it and what to do. Start at
 * {@link org.rowlock.doctor.Doctor}. Data flows one way. A {@code ServerQuery} is SQL in a file beside the classes. Its
 * rows become {@code Samples} and differences of counters, which are {@code Seen}. The {@code Rules} judge that without
 * a server, and {@code Screen} shows the {@code Diagnosis}.
 */
@NullMarked
package org.rowlock.doctor;

import org.jspecify.annotations.NullMarked;
