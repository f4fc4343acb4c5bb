/**
 * The JMH benchmarks, with a class for each workload. Each benchmark creates its tables during setup. At the end, the
 * benchmark checks that its locks excluded other transactions. Otherwise the benchmark fails.
 */
@NullMarked
package org.rowlock.jmh.bench;

import org.jspecify.annotations.NullMarked;
