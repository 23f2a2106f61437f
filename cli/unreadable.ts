const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it belongs to somebody else',
  EPERM: 'it belongs to somebody else',
}

/** Why a file cannot be read, for people; the system's code for what is rare. */
export const whyUnreadable = ({ code = '' }: NodeJS.ErrnoException): string => reasons[code] ?? code
