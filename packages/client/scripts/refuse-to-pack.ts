// Prevents packing of this folder, which contains sources that only this repository can run.
console.error('Build the package in dist/: run `npm run build`, then `npm pack ./dist` (or `npm publish ./dist`).')
process.exitCode = 1
