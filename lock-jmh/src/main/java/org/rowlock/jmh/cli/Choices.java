package org.rowlock.jmh.cli;

import java.util.List;

/**
 * All that the user wants.
 *
 * @param chosen what is run, in this order
 * @param leftOut what is not, and why; complete sentences
 */
record Choices(List<Choice> chosen, List<String> leftOut) {}
