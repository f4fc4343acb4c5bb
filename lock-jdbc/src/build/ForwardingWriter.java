import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Writes the classes that forward JDBC: each method of an interface calls the same method of another object. A subclass
 * overrides only the methods that it changes. The build runs this program before it compiles: {@code java
 * ForwardingWriter.java 17 directory}.
 *
 * <p>The methods are those of java.sql in the target release, default methods included. The result does not depend on
 * the JDK that runs this program.
 */
public final class ForwardingWriter {
    private static final String FORWARD = "org.rowlock.jdbc.internal.forward";
    private static final String WRAP = "org.rowlock.jdbc.internal.wrap";

    /** The methods whose result may come from a statement other than the delegate. */
    private static final Set<String> RESULTS = Set.of(
            "getResultSet",
            "getGeneratedKeys",
            "getUpdateCount",
            "getLargeUpdateCount",
            "getMoreResults",
            "getWarnings");

    /**
     * The methods of a connection before which {@code used} is not called. RowlockConnection overrides the methods that
     * end the transaction.
     */
    private static final Set<String> NO_USES = Set.of(
            "prepareStatement",
            "prepareCall",
            "createStatement",
            "nativeSQL",
            "commit",
            "close",
            "abort",
            "setAutoCommit",
            "getAutoCommit",
            "getHoldability",
            "getMetaData",
            "getNetworkTimeout",
            "getTypeMap",
            "isClosed",
            "isReadOnly",
            "setNetworkTimeout",
            "setTypeMap");

    /** The methods of a result that send a statement, or whose result may change a large object. */
    private static final Set<String> OF_ROW =
            Set.of("insertRow", "updateRow", "deleteRow", "refreshRow", "getBlob", "getClob");

    /** The types of values that may belong to a key. */
    private static final Set<String> KEYS =
            Set.of("byte", "short", "int", "long", "String", "java.math.BigDecimal", "Object");

    private static final Set<String> OTHER_CONSTANTS = Set.of("boolean", "float", "double");
    /** The types of values that the application may change after the call. The driver copies the value during the call. */
    private static final Set<String> COPIED = Set.of("Date", "Time", "Timestamp", "byte[]");

    /** The methods that create a large object. */
    private static final Set<String> OF_LARGE_OBJECT = Set.of("setBlob", "setClob");

    private final Elements elements;
    private final Path directory;

    private ForwardingWriter(Elements elements, Path directory) {
        this.elements = elements;
        this.directory = directory;
    }

    public static void main(String[] args) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = List.of("--release", args[0], "-proc:none");
        JavacTask task = (JavacTask) compiler.getTask(null, null, null, options, null, null);
        ForwardingWriter writer = new ForwardingWriter(task.getElements(), Path.of(args[1]));
        writer.write(
                FORWARD,
                "Connection",
                "ForwardingWrapper",
                "Wrapper",
                "delegate",
                "/** Called before each use of the transaction, except a statement and the end of the transaction. */",
                "protected void used() throws SQLException {}",
                "/** Returns the text that the driver prepares. */",
                "protected String sent(String sql) { return sql; }",
                "/** Returns the statement for the application. */",
                "protected Statement made(Statement made) { return made; }",
                "/** Returns the prepared statement for the application; plain means without options. */",
                "protected PreparedStatement made(PreparedStatement made, String sql, boolean plain) { return made; }",
                "/** Returns the call for the application. */",
                "protected CallableStatement made(CallableStatement made, String sql) { return made; }");
        writer.write(
                FORWARD,
                "Statement",
                "ForwardingWrapper",
                "Wrapper",
                "delegate",
                "/** A statement that is sent to the server. */",
                "public interface Call<T> { T send() throws SQLException; }",
                "/** Returns the text that the driver sends. */",
                "protected String sent(String sql) { return sql; }",
                "/** Sends a text. */",
                "protected <T> T send(String sql, Call<T> call) throws SQLException { return call.send(); }",
                "/** Returns the statement whose results are read. */",
                "protected Statement ran() throws SQLException { return delegate; }");
        writer.write(
                FORWARD,
                "ResultSet",
                "ForwardingWrapper",
                "Wrapper",
                "delegate",
                "/** Called before the driver sends a statement of its own for the current row. */",
                "protected void usesRow() throws SQLException {}");
        writer.write("org.rowlock.jdbc", "DataSource", "ForwardingWrapper", "Wrapper", "delegate");
        writer.write(
                FORWARD,
                "DatabaseMetaData",
                "ForwardingWrapper",
                "Wrapper",
                "delegate",
                "/** Returns the result for the application. */",
                "protected abstract ResultSet results(ResultSet results) throws SQLException;");
        writer.write(
                WRAP,
                "PreparedStatement",
                "RowlockStatement",
                "Statement",
                "connection, delegate",
                "/** Returns the values that were set. */",
                "abstract org.rowlock.jdbc.internal.statement.Binds binds();");
        writer.write(WRAP, "CallableStatement", "RowlockPreparedStatement", "PreparedStatement", "connection, delegate, sql, false");
    }

    /** Writes one class. Leaves an unchanged file alone, so that it is not compiled again. */
    private void write(String room, String type, String parent, String known, String arguments, String... members)
            throws IOException {
        String access = room.equals(FORWARD) ? "public " : "";
        String name = "Forwarding" + type;
        List<String> lines = new ArrayList<>(List.of(
                "package " + room + ";",
                "",
                "import java.sql.*;",
                "import javax.sql.*;",
                "import " + FORWARD + ".*;",
                "",
                "/** Forwards every call to another " + type + ". Written by the build; subclasses override what they need. */",
                "@org.jspecify.annotations.NullUnmarked // JDBC has no null marks.",
                "@SuppressWarnings({\"deprecation\", \"removal\"}) // JDBC has such methods.",
                access + (type.equals("CallableStatement") ? "final" : "abstract") + " class " + name + " extends " + parent + " implements " + type + " {",
                "    " + (access.isEmpty() ? "" : "protected ") + "final " + type + " delegate;",
                "",
                "    " + (access.isEmpty() ? "" : "protected ") + name + "("
                        + arguments.replace(", false", "")
                                .replace("connection", "RowlockConnection connection")
                                .replace("delegate", type + " delegate")
                                .replace("sql", "String sql")
                        + ") {",
                "        super(" + arguments + ");",
                "        this.delegate = delegate;",
                "    }"));
        for (int i = 0; i < members.length; i++) {
            if (i % 2 == 0) {
                lines.add("");
            }
            lines.add("    " + members[i]);
        }
        Set<String> inherited = methods(known).stream().map(this::signature).collect(Collectors.toSet());
        methods(type).stream()
                .filter(method -> !inherited.contains(signature(method)))
                .sorted(Comparator.comparing(this::signature))
                .forEach(method -> lines.addAll(forwarding(method, type)));
        lines.add("}");
        Path file = directory.resolve(room.replace('.', '/')).resolve(name + ".java");
        String text = String.join("\n", lines) + "\n";
        Files.createDirectories(file.getParent());
        if (!Files.exists(file) || !Files.readString(file).equals(text)) {
            Files.writeString(file, text);
        }
    }

    /** Returns the instance methods of an interface and of its parents. */
    private List<ExecutableElement> methods(String type) {
        return ElementFilter.methodsIn(elements.getAllMembers(Stream.of("java.sql.", "javax.sql.")
                        .map(room -> elements.getTypeElement(room + type))
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElseThrow()))
                .stream()
                .filter(method -> method.getEnclosingElement().getKind().isInterface())
                .filter(method -> !method.getModifiers().contains(Modifier.STATIC))
                .toList();
    }

    private String signature(ExecutableElement method) {
        return method.getSimpleName() + types(method).toString();
    }

    private List<String> types(ExecutableElement method) {
        return method.getParameters().stream()
                .map(parameter -> plain(parameter.asType()))
                .toList();
    }

    private static String plain(Object type) {
        return type.toString().replace("java.lang.", "").replace("java.sql.", "").replace(",", ", ");
    }

    private List<String> forwarding(ExecutableElement method, String type) {
        List<String> types = types(method);
        String variables = method.getTypeParameters().isEmpty()
                ? ""
                : plain(method.getTypeParameters().stream().map(Object::toString).collect(Collectors.joining(", ", "<", "> ")));
        String result = plain(method.getReturnType());
        String call = "delegate." + method.getSimpleName() + "("
                + IntStream.range(0, types.size()).mapToObj(ForwardingWriter::parameter).collect(Collectors.joining(", "))
                + ")";
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add("    @Override");
        lines.add("    public " + variables + result + " " + method.getSimpleName() + "("
                + IntStream.range(0, types.size())
                        .mapToObj(i -> types.get(i) + " " + parameter(i))
                        .collect(Collectors.joining(", "))
                + ")" + thrown(method) + " {");
        boolean given = !result.equals("void");
        if (type.equals("DatabaseMetaData") && result.equals("ResultSet")) {
            call = "results(" + call + ")";
        } else if (type.equals("Connection") && result.endsWith("Statement")) {
            call = result.equals("PreparedStatement") ? call.replace("(a", "(sent(a)") : call;
            call = "made(" + call + (result.equals("Statement") ? "" : ", a")
                    + (result.equals("PreparedStatement") ? ", " + (types.size() == 1) : "") + ")";
        } else if (type.equals("Statement") && RESULTS.contains(method.getSimpleName().toString())) {
            call = call.replace("delegate.", "ran().");
        } else if (type.equals("Statement") && method.getSimpleName().toString().startsWith("execute") && !types.isEmpty()) {
            call = "send(a, () -> " + call.replace("(a", "(sent(a)") + ")";
        }
        String thrown = thrown(method);
        if (type.equals("Connection") && !NO_USES.contains(method.getSimpleName().toString()) && !thrown.isEmpty()) {
            lines.addAll(thrown.contains(" SQLException") ? List.of("        used();") : List.of(
                    "        try {",
                    "            used();",
                    "        } catch (SQLException e) {",
                    "            throw new SQLClientInfoException(e.getMessage(), e.getSQLState(), java.util.Map.of(), e);",
                    "        }"));
        } else if (type.equals("ResultSet") && OF_ROW.contains(method.getSimpleName().toString())) {
            lines.add("        usesRow();");
        } else if (type.equals("ResultSet") && types.size() == 2 && types.get(1).startsWith("Class")) {
            lines.add("        if (Blob.class.equals(b) || Clob.class.equals(b)) {");
            lines.add("            usesRow();");
            lines.add("        }");
        } else if (type.equals("PreparedStatement")
                && OF_LARGE_OBJECT.contains(method.getSimpleName().toString())) {
            lines.add("        connection.used();");
        } else if (type.equals("PreparedStatement") && method.getSimpleName().contentEquals("setObject")) {
            lines.add("        if (b instanceof Blob || b instanceof Clob || b instanceof java.io.InputStream) {");
            lines.add("            connection.used();");
            lines.add("        }");
        }
        lines.add("        " + (given ? "return " : "") + call + ";");
        if (type.equals("PreparedStatement")
                && method.getSimpleName().toString().startsWith("set")
                && types.get(0).equals("int")) {
            lines.addAll(keeping(method.getSimpleName().toString(), types, call));
        }
        lines.add("    }");
        return lines;
    }

    /**
     * Returns the lines that record a parameter, so that Rowlock can set it again later. Values that can be read only
     * once are not recorded.
     */
    private static List<String> keeping(String method, List<String> types, String call) {
        String type = types.get(1);
        String value = method.equals("setNull") || !KEYS.contains(type) ? "(Object) null" : "b";
        String again = call.replace("delegate.", "statement.").replace("(a, ", "(at, ");
        if (COPIED.contains(type)) {
            List<String> lines = new ArrayList<>(List.of("        " + type + " kept = binds().keeps() && b != null ? "
                    + (type.endsWith("]") ? "" : "(" + type + ") ") + "b.clone() : b;"));
            if (types.size() == 3) {
                lines.add("        java.util.Calendar zone = binds().keeps() && c != null ? (java.util.Calendar) c.clone() : c;");
            }
            lines.add("        binds().set(a, " + value + ", binds().keeps() ? (statement, at) -> "
                    + again.replace(", b", ", kept").replace(", c)", ", zone)") + " : null);");
            return lines;
        }
        if (type.equals("Object")) {
            // To the server, several keys may equal one floating-point number. The driver converts a value to the given
            // type. As KEYS contains no floating-point type, setDouble() and setFloat() record no key either.
            String isFloating = "b instanceof Double || b instanceof Float";
            if (types.size() > 2 && types.get(2).equals("int")) {
                isFloating += " || c == java.sql.Types.DOUBLE || c == java.sql.Types.FLOAT || c == java.sql.Types.REAL";
            }
            return List.of(
                    "        Object kept = binds().keeps() ? org.rowlock.jdbc.internal.statement.Binds.kept(b) : null;",
                    "        binds().set(a, " + isFloating + " ? null : b, binds().keeps() && (b == null || kept != null) ? (statement, at) -> "
                            + again.replace("(at, b", "(at, kept") + " : null);");
        }
        boolean constant = method.equals("setNull")
                || (types.size() == 2 && (KEYS.contains(type) || OTHER_CONSTANTS.contains(type)));
        if (!constant) {
            return List.of("        binds().set(a, (Object) null, null);");
        }
        return List.of(
                "        binds().set(a, " + value + ", binds().keeps() ? (statement, at) -> " + again + " : null);");
    }

    private static String thrown(ExecutableElement method) {
        return method.getThrownTypes().isEmpty()
                ? ""
                : method.getThrownTypes().stream()
                        .map(ForwardingWriter::plain)
                        .collect(Collectors.joining(", ", " throws ", ""));
    }

    private static String parameter(int i) {
        return String.valueOf((char) ('a' + i));
    }
}
