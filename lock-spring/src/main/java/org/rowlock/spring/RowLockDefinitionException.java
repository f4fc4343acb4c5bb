package org.rowlock.spring;

/**
 * Reports at startup that a {@link RowLock} cannot work. Causes are an unknown table or parameter, a method that no
 * proxy can intercept, or contradictory attributes. Another cause is a database whose locks do not exclude each other.
 * The message describes the fault, and says what to change.
 */
public final class RowLockDefinitionException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The fault, with its place. */
    private final String problem;

    /** The remedy. */
    private final String action;

    /**
     * Creates the exception.
     *
     * @param problem the fault, with its place; a sentence
     * @param action what to change; a sentence
     */
    public RowLockDefinitionException(String problem, String action) {
        super(problem + " " + action);
        this.problem = problem;
        this.action = action;
    }

    /** {@return the fault, with its place; a sentence, which is part of the message too} */
    public String problem() {
        return problem;
    }

    /** {@return what to change; a sentence, which is part of the message too} */
    public String action() {
        return action;
    }
}
