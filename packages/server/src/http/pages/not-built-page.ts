export interface NotBuilt {
  what: string
  command: string
}

export const notBuiltPage = ({ what, command }: NotBuilt): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Muster: ${what} is not built</title>
    <style>
      body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }
    </style>
  </head>
  <body>
    <h1>Muster cannot show ${what} yet</h1>
    <p>The server is running, and its API at <code>/graphql/v1</code> works. To build ${what}, run this command in
    Muster's folder:</p>
    <pre><code>${command}</code></pre>
    <p>Then reload this page. You do not need to restart the server.</p>
  </body>
</html>
`
