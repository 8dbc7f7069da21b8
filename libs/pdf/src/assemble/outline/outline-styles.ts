/** How the outlines of sources become one: a branch for each source, all items one after the other, or no outline at all. */
export const outlineStyles = ['by_input', 'flat', 'none'] as const;
export type OutlineStyle = (typeof outlineStyles)[number];
