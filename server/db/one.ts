/** The row of a statement that always answers one. */
export async function one<Row>(answer: PromiseLike<readonly Row[]>): Promise<Row> {
  const row = await oneOrNone(answer)
  if (row === null) throw new Error('A statement without conditions answered nothing')
  return row
}

/** The row of a statement that answers one at the most. */
export async function oneOrNone<Row>(answer: PromiseLike<readonly Row[]>): Promise<Row | null> {
  const [row] = await answer
  return row ?? null
}
