/**
 * Only plain characters and no dot segments: each call has one spelling, so that no encoding slips past a limit or a
 * rule.
 */
export const canonicalPath = /^(\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/
