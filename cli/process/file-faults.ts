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
export const whyUnreadable = ({ code = '', message }: NodeJS.ErrnoException): string =>
  reasons[code] ?? (code || message)

const unwritable: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
}

/** The same for a file that cannot be written. */
export const whyUnwritable = ({ code = '' }: Pick<NodeJS.ErrnoException, 'code'>): string => unwritable[code] ?? code
