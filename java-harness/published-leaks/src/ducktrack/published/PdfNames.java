package ducktrack.published;

import org.apache.pdfbox.cos.COSDictionary;
import org.apache.pdfbox.cos.COSInteger;
import org.apache.pdfbox.cos.COSName;

/**
 * Documents with names of their own, as writers of fonts and images make them. Every name that was ever read stays in a static table
 * (the library's own way out is to clear it, as the control does).
 *
 * <p>KIND interned names HALF held-out HEAP 64 LIBRARY pdfbox
 *
 * <p>CULPRIT org.apache.pdfbox.cos.COSName.
 */
public final class PdfNames {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private PdfNames() {}

    /** Takes no words. */
    public static void main(String[] words) {
        long sum = 0;
        for (int document = 0; document < 10_000; document++) {
            COSDictionary fonts = new COSDictionary();
            for (int font = 0; font < 20; font++) {
                fonts.setItem(COSName.getPDFName("F" + document + "-" + font), COSInteger.get(font));
            }
            sum += fonts.size() + new byte[8_000].length;
            if (IS_REPAIRED) {
                COSName.clearResources();
            }
        }
        System.out.println(sum);
    }
}
