package org.rowlock.internal.text;

/**
 * The address of the pages that messages link to, because a user has a jar and no folder of docs. A test follows each
 * link.
 */
public final class Docs {
    /** The folder of the pages, in the repository that the POM names as the project's URL. */
    public static final String URL = "https://github.com/rowlock/rowlock/blob/main/docs/";

    private Docs() {}
}
