import { hash } from 'node:crypto'

/** What the page does: it shows the description beside it. `reference.js` is Swagger UI. */
const start = `SwaggerUIBundle({
  url: 'openapi.json',
  domNode: document.getElementById('reference'),
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  displayRequestDuration: true,
})`

/**
 * Scripts and styles of this service alone. Swagger UI sets styles of elements and draws icons from data: addresses.
 */
export const referencePolicy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${hash('sha256', start, 'base64')}'`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** The page that shows the OpenAPI document to people. Its addresses are relative, so it works under any path. */
export const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Postern API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="reference/reference.css">
</head>
<body>
<main id="reference"></main>
<script src="reference/reference.js"></script>
<script>${start}</script>
</body>
</html>`
