/** In code units: a name is shown in one line of a terminal, a mail and a page. */
export const maxNameLength = 200
