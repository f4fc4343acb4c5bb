/**
 * The benchmarks themselves, a class per scenario, for JMH. Each makes its tables when it is set up, checks when it is
 * torn down that its locks have kept what they promise, and fails if they have not.
 */
@NullMarked
package org.rowlock.jmh.bench;

import org.jspecify.annotations.NullMarked;
