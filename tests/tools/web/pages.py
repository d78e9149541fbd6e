"""Documents to serve: a page as sites have them, and a PDF written by hand."""

from __future__ import annotations

PAGE = """<!DOCTYPE html>
<html><head><title> Claws &amp; 爪子 </title><base href="/docs/"><style>p { color: red }</style>
<script>var hidden = "<p>script</p>";</script></head>
<body>
<header><a href="/">Home</a></header>
<nav><ul><li><a href="/nav">Navigation</a></li></ul></nav>
<main>
<h1>Claws <small>爪子</small></h1>
<p>Text with <b>bold</b>, <a href="guide.html">a guide</a>,
<a href="https://other.org/x?a=1&amp;b=2#c">another site</a>,
<a href="javascript:alert(1)">a trap</a>,
<a href="data:text/html,x">data</a>, <a href="file:///etc/passwd">a file</a>,
<a href="#top">the top</a> and <a href="mailto:a@example.org">mail</a>.</p>
<p hidden>hidden words</p><p style="display: none">more hidden words</p><p style="color: red">red words</p>
<img src="/cat.png" alt="A cat"><img src="data:image/png;base64,AAAA">
<pre><code class="language-python">def claw():
    return 1 &lt; 2
</code></pre>
<ul><li>one<ul><li>two</li></ul></li></ul>
<table><tr><th>名</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
<form><input value="typed"><select><option>chosen</option></select><button>Press</button></form>
<noscript>Turn JavaScript on</noscript><iframe src="/frame"></iframe><svg><text>drawn</text></svg>
<p>The end of a text which is long enough to be most of what there is on this page, so that main is trusted.</p>
</main>
<footer>Imprint <a href="/imprint">here</a></footer>
</body></html>
"""

PAGE_TEXT = """# Claws 爪子

Text with **bold**, [a guide](https://example.org/docs/guide.html), [another site](https://other.org/x?a=1&b=2#c), \
a trap, data, a file, the top and [mail](mailto:a@example.org).

red words

[A cat]

```python
def claw():
    return 1 < 2
```

- one
  - two

| 名 | b |
| --- | --- |
| 1 | 2 |

The end of a text which is long enough to be most of what there is on this page, so that main is trusted."""


def pdf(*pages: str, title: str = "A paper") -> bytes:
    """A PDF with one line of ASCII text a page."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for index, text in enumerate(pages):
        content = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * index} 0 R >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    objects.append(f"<< /Title ({title}) >>")
    out, places = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"trailer << /Size {size} /Root 1 0 R /Info {size - 1} 0 R >>"
    return out + f"xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}\nstartxref\n{len(out)}\n%%EOF\n".encode()
