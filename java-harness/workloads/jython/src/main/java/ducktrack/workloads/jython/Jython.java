package ducktrack.workloads.jython;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.Workload;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import org.python.core.PyCode;
import org.python.core.PyInteger;
import org.python.core.PyObject;
import org.python.util.PythonInterpreter;

/** A Python program on Jython: compiled to byte code once, run again and again. */
public final class Jython implements Workload {
    private PythonInterpreter interpreter;
    private PyCode script;

    @Override
    public void prepare(Run run) throws Exception {
        Properties settings = new Properties();
        settings.setProperty("python.cachedir.skip", "true");
        settings.setProperty("python.console.encoding", "UTF-8");
        settings.setProperty("python.import.site", "false");
        PythonInterpreter.initialize(System.getProperties(), settings, new String[0]);
        interpreter = new PythonInterpreter();
        try (InputStream source = Jython.class.getResourceAsStream("program.py")) {
            script = interpreter.compile(new String(source.readAllBytes(), StandardCharsets.UTF_8), "program.py");
        }
    }

    @Override
    public long iterate(Run run) {
        interpreter.set("size", new PyInteger(run.size()));
        interpreter.exec(script);
        PyObject result = interpreter.get("result");
        return new Checksum().add(result.toString()).value();
    }

    @Override
    public void close() {
        if (interpreter != null) {
            interpreter.close();
        }
    }
}
