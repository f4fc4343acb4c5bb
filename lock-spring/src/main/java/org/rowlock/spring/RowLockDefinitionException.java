package org.rowlock.spring;

/**
 * A {@link RowLock} that cannot work, found at startup: an unknown table or parameter, a method that no proxy can
 * intercept, attributes that contradict each other, a database that is none to lock in. Names the place and says what
 * to change.
 */
public final class RowLockDefinitionException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Where it stands and why it cannot work. */
    private final String problem;

    /** What to do. */
    private final String action;

    /**
     * A definition that cannot work.
     *
     * @param problem where it stands and why it cannot work; a sentence
     * @param action what to change; a sentence
     */
    public RowLockDefinitionException(String problem, String action) {
        super(problem + " " + action);
        this.problem = problem;
        this.action = action;
    }

    /** {@return where it stands and why it cannot work; a sentence, which is part of the message too} */
    public String problem() {
        return problem;
    }

    /** {@return what to change; a sentence, which is part of the message too} */
    public String action() {
        return action;
    }
}
