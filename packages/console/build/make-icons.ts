// This script draws the icons of the installed app from public/icons/icon.svg with Chromium. To run the script:
// node packages/console/build/make-icons.ts
import { readFile, writeFile } from 'node:fs/promises'
import { chromium } from 'playwright-core'
import { chromiumOptions } from '../../../e2e/chromium.ts'

const folder = new URL('../public/icons/', import.meta.url)
const icon = await readFile(new URL('icon.svg', folder), 'utf8')

/** Operating systems crop this icon, for example to a circle, so it has a wide margin and no rounded corners. */
const maskable = icon
  .replace('rx="104"', 'rx="0"')
  .replace('<g ', '<g transform="translate(256 256) scale(0.8) translate(-256 -256)"><g ')
  .replace('</svg>', '</g></svg>')

const images = [
  { name: 'icon-192.png', svg: icon, size: 192 },
  { name: 'icon-512.png', svg: icon, size: 512 },
  { name: 'icon-maskable-512.png', svg: maskable, size: 512 },
  { name: 'apple-touch-icon.png', svg: maskable, size: 180 },
]

const browser = await chromium.launch(chromiumOptions)
try {
  const page = await browser.newPage()
  for (const { name, svg, size } of images) {
    await page.setViewportSize({ width: size, height: size })
    await page.setContent(`<style>body { margin: 0 } svg { display: block; width: ${size}px }</style>${svg}`)
    await writeFile(new URL(name, folder), await page.screenshot({ omitBackground: true }))
    console.log(`Wrote ${name}`)
  }
} finally {
  await browser.close()
}
