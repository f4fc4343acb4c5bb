package org.rowlock.spring;

import org.jspecify.annotations.Nullable;

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
        this(problem, action, null);
    }

    /**
     * A definition that cannot work, with what shows it.
     *
     * @param problem why it cannot work; a sentence
     * @param action what to change; a sentence
     * @param cause what shows it; null for nothing
     */
    public RowLockDefinitionException(String problem, String action, @Nullable Throwable cause) {
        super(problem + " " + action, cause);
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
