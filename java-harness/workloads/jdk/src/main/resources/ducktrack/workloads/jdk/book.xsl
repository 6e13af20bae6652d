<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="html" indent="no"/>
  <xsl:key name="ids" match="chapter|section" use="@id"/>
  <xsl:template match="book">
    <html>
      <head><title><xsl:value-of select="title"/></title></head>
      <body>
        <ol>
          <xsl:for-each select="chapter">
            <xsl:sort select="title"/>
            <li><a href="#{@id}"><xsl:value-of select="normalize-space(title)"/></a></li>
          </xsl:for-each>
        </ol>
        <xsl:apply-templates select="chapter"/>
      </body>
    </html>
  </xsl:template>
  <xsl:template match="chapter">
    <h1 id="{@id}"><xsl:number/>. <xsl:value-of select="title"/></h1>
    <xsl:apply-templates select="section"/>
  </xsl:template>
  <xsl:template match="section">
    <h2 id="{@id}"><xsl:number level="multiple" count="chapter|section"/>&#160;<xsl:value-of select="title"/></h2>
    <xsl:apply-templates select="*[not(self::title)]"/>
  </xsl:template>
  <xsl:template match="para"><p><xsl:apply-templates/></p></xsl:template>
  <xsl:template match="emphasis"><em><xsl:value-of select="translate(., 'abcdefgh', 'ABCDEFGH')"/></em></xsl:template>
  <xsl:template match="xref"><a href="#{@linkend}"><xsl:value-of select="key('ids', @linkend)/title"/></a></xsl:template>
  <xsl:template match="itemizedlist"><ul><xsl:apply-templates/></ul></xsl:template>
  <xsl:template match="listitem"><li><xsl:value-of select="concat(position(), ': ', substring(para, 1, 40))"/></li></xsl:template>
  <xsl:template match="informaltable"><table><xsl:apply-templates select="tgroup/tbody/row"/></table></xsl:template>
  <xsl:template match="row"><tr><xsl:for-each select="entry"><td><xsl:value-of select="."/></td></xsl:for-each></tr></xsl:template>
  <xsl:template match="programlisting"><pre><xsl:value-of select="."/></pre></xsl:template>
</xsl:stylesheet>
