/** Shown where the console would be, in a checkout that has not been built. */
export const notBuiltPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Muster: the console is not built</title>
    <style>
      body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }
    </style>
  </head>
  <body>
    <h1>The console is not built yet</h1>
    <p>The server runs, and its API at <code>/graphql/v1</code> works. To have the console as well, run this in the folder
    that Muster is in, and load this page again; the server may go on running:</p>
    <pre><code>npm run build</code></pre>
  </body>
</html>
`
