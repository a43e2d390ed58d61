// Packing here would pack the sources, which only this repository can run.
console.error('The package is made in dist/: run `npm run build`, then `npm pack ./dist` (or `npm publish ./dist`).')
process.exitCode = 1
