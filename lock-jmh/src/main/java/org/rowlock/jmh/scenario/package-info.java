/**
 * The model of a scenario: its points, variants and metrics. The files scenarios.md and doors.md define the scenarios.
 */
@NullMarked
package org.rowlock.jmh.scenario;

import org.jspecify.annotations.NullMarked;
