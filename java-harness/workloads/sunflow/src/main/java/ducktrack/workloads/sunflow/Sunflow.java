package ducktrack.workloads.sunflow;

import ducktrack.harness.Run;
import ducktrack.harness.Workload;
import org.sunflow.SunflowAPI;
import org.sunflow.math.Matrix4;
import org.sunflow.math.Point3;
import org.sunflow.math.Vector3;
import org.sunflow.system.UI;
import org.sunflow.system.ui.SilentInterface;

/** Path tracing of 27 spheres on a plane. */
public final class Sunflow implements Workload {
    private static final int WIDTH = 160;
    private static final int HEIGHT = 120;

    @Override
    public void prepare(Run run) {
        System.setProperty("java.awt.headless", "true");
        UI.set(new SilentInterface());
    }

    @Override
    public long iterate(Run run) {
        SunflowAPI scene = new SunflowAPI();
        scene.parameter("resolutionX", WIDTH * run.size());
        scene.parameter("resolutionY", HEIGHT * run.size());
        scene.parameter("aa.min", 0);
        scene.parameter("aa.max", 1);
        scene.parameter("threads", run.threads());
        scene.parameter("depths.diffuse", 2);
        scene.parameter("depths.reflection", 3);
        scene.parameter("gi.engine", "path");
        scene.parameter("gi.path.samples", 8);
        scene.parameter("sampler", "bucket");
        scene.parameter("bucket.size", 32);
        scene.options(SunflowAPI.DEFAULT_OPTIONS);
        camera(scene);
        light(scene);
        shapes(scene);
        Picture picture = new Picture(run);
        scene.render(SunflowAPI.DEFAULT_OPTIONS, picture);
        return picture.checksum();
    }

    private static void camera(SunflowAPI scene) {
        scene.parameter(
                "transform", Matrix4.lookAt(new Point3(6, -9, 6), new Point3(0, 0, 0.5f), new Vector3(0, 0, 1)));
        scene.parameter("fov", 45f);
        scene.parameter("aspect", (float) WIDTH / HEIGHT);
        scene.camera("camera", "pinhole");
        scene.parameter("camera", "camera");
        scene.options(SunflowAPI.DEFAULT_OPTIONS);
    }

    private static void light(SunflowAPI scene) {
        scene.parameter("source", new Point3(4, -6, 9));
        scene.parameter("dir", new Vector3(0, 0, -1));
        scene.parameter("center", new Point3(4, -6, 9));
        scene.parameter("power", null, 300f, 300f, 300f);
        scene.light("light", "point");
    }

    private static void shapes(SunflowAPI scene) {
        scene.parameter("diffuse", null, 0.7f, 0.5f, 0.3f);
        scene.shader("matte", "diffuse");
        scene.parameter("color", null, 0.8f, 0.8f, 0.9f);
        scene.shader("mirror", "mirror");
        scene.parameter("center", new Point3(0, 0, -1.5f));
        scene.parameter("normal", new Vector3(0, 0, 1));
        scene.geometry("floor", "plane");
        scene.parameter("shaders", "matte");
        scene.instance("floor.instance", "floor");
        scene.geometry("ball", "sphere");
        for (int i = 0; i < 27; i++) {
            Matrix4 place = Matrix4.translation((i % 3 - 1) * 1.6f, (i / 3 % 3 - 1) * 1.6f, (i / 9 - 1) * 1.6f);
            scene.parameter("transform", place.multiply(Matrix4.scale(0.7f)));
            scene.parameter("shaders", i % 4 == 0 ? "mirror" : "matte");
            scene.instance("ball" + i, "ball");
        }
    }
}
