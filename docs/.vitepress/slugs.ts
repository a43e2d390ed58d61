/**
 * Returns the anchor of a heading, as on GitHub: lowercase, with hyphens for spaces, and without punctuation except
 * hyphens and underscores.
 */
export const slugify = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-')
