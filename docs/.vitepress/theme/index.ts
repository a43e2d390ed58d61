import type { Theme } from 'vitepress'
// This theme loads no fonts, but uses the fonts of the operating system.
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import './style.css'

// In its configuration, VitePress prefixes the paths of links with /docs/, so a path cannot lead to the console.
const ConsoleLink = () => h('a', { class: 'console-link', href: '/', target: '_self' }, 'Console')

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component('ConsoleLink', ConsoleLink)
  },
} satisfies Theme
