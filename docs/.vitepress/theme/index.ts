import type { Theme } from 'vitepress'
// This theme loads no fonts, but uses the fonts of the operating system.
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import './style.css'

// A link in the VitePress configuration cannot lead to a page outside /docs/.
const ConsoleLink = () => h('a', { class: 'console-link', href: '/', target: '_self' }, 'Console')

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component('ConsoleLink', ConsoleLink)
  },
} satisfies Theme
