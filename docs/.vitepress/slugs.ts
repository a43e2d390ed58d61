/** Returns the anchor of a heading, as on GitHub: lowercase, without punctuation, with hyphens for spaces. */
export const slugify = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-')
