const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
}

/** The hint for a file that `whyUnreadable` explains. */
export const unreadableHint = 'Give the path of a file that you may read'

/** Why a file cannot be read, for people; the system's error code for rare reasons. */
export const whyUnreadable = ({ code = '' }: NodeJS.ErrnoException): string => reasons[code] ?? code
