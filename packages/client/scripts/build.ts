// Builds the package in dist/ (`npm run build`).
import { fileURLToPath } from 'node:url'
import { buildPackage } from './build-package.ts'

await buildPackage(fileURLToPath(new URL('../dist', import.meta.url)))
