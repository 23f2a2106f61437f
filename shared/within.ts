/** What the work gives or, after this many milliseconds without it, what `late` gives or throws. */
export function within<T, L>(ms: number, work: Promise<T>, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  }).then(late)
  return Promise.race([work, overdue]).finally(() => clearTimeout(timer))
}
