/**
 * The JMH benchmarks, with a class for each workload. Each benchmark creates its tables during setup. At the end it
 * checks that its locks excluded other transactions, and fails if they did not.
 */
@NullMarked
package org.rowlock.jmh.bench;

import org.jspecify.annotations.NullMarked;
