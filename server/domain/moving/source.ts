/** One record of a source, not yet checked, or why it cannot be read. */
export interface SourceItem {
  /** In the file, or counted. */
  readonly line: number
  /** From where a later run reads what follows. */
  readonly position: string
  readonly record?: unknown
  readonly problem?: string
  readonly detail?: string
  /** Of what says of itself neither kind nor id: `users 3 of export.json`. */
  readonly place?: string
  /** Fields that it comes without, since they cannot be read. */
  readonly altered?: readonly string[]
}

/** Ids by type. Of a type without any set, nothing is known. */
export interface Living {
  readonly user: ReadonlySet<unknown>
  readonly session?: ReadonlySet<unknown>
  readonly link?: ReadonlySet<unknown>
  readonly secondFactor?: ReadonlySet<unknown>
}

/** What is moved in: a file, or the database of another service. */
export interface Source {
  /** Identifies it, for the run that goes on after an earlier one. */
  readonly identity: string
  /** Bytes or records, for the progress. Null when unknown. */
  readonly size: number | null
  /**
   * Users who have a second factor there, which is not asked for here. Null: the source does not tell. Of a stream: as
   * far as it was read.
   */
  readonly secondFactors: number | null
  /** Tables and columns that stay behind, where the source shows them. */
  readonly unread?: readonly string[]
  /** False for a stream. */
  readonly canBeReadAgain: boolean
  /** How far it is read now, by which a later run knows what changed. `left`: ids of what is to be read again. */
  mark?(left: readonly string[]): string | null
  /** Reads from the beginning, or from where an earlier run came. `mark`: how far the last whole run had read. */
  read(position: string | null, mark: string | null): AsyncIterable<SourceItem>
  /** How much of `size` is done there. */
  done(item: SourceItem): number
  /** What is alive there, once everything was read. An updating run ends here what ended there. */
  living?(): Promise<Living>
}
