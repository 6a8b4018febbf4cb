import { isMillraceError } from '../../errors/index.ts'
import type { Prompt } from '../../events/index.ts'
import type { KeyedLock } from '../keyed-lock.ts'
import { toTitle } from './to-title.ts'

const overtaken: ReadonlySet<string> = new Set(['lease_lost', 'not_found'])

/** Who writes a session's record, and a title into it. */
export interface TitleWriter {
  /** Resolves when it is known whether the writer may still call a model. */
  mayAsk(): Promise<boolean>
  retitle(title: string): Promise<void>
}

/** The titles that are being asked for. */
export interface SessionTitles {
  /** Asks for the title of a session that begins, in the background. */
  seek(session: string, prompt: Prompt): void
  /** Says who writes the session's record from now on: a title is asked for once its writer may, and goes there. */
  follow(session: string, writer: TitleWriter): void
  /** Waits for no title any more. */
  close(): void
}

/** What titles come from, and go by. */
export interface SessionTitlesOptions {
  readonly title: ((prompt: Prompt) => Promise<string>) | undefined
  readonly titleTimeoutMs: number
  readonly lock: KeyedLock
  readonly onError: (error: unknown) => void
}

/** A title that has not come yet. */
interface Search {
  readonly prompt: Prompt
  writer: TitleWriter | undefined
  timer: ReturnType<typeof setTimeout> | undefined
}

/** Builds what finds titles. One goes to whoever writes the session's record, so that no two write it at once. */
export function createSessionTitles(options: SessionTitlesOptions): SessionTitles {
  const { title, titleTimeoutMs, lock, onError } = options
  const searches = new Map<string, Search>()

  const end = (session: string, search: Search): void => {
    clearTimeout(search.timer)
    search.writer = undefined
    if (searches.get(session) === search) searches.delete(session)
  }

  const find = async (session: string, search: Search, first: TitleWriter): Promise<void> => {
    try {
      if (!(await first.mayAsk())) return
      const found = (await title?.(search.prompt)) ?? ''
      if (!/\S/.test(found)) return
      // Whoever starts a run has read the record and writes it again: the title comes before or after that.
      await lock(session, async () => search.writer?.retitle(toTitle(found)))
    } catch (error) {
      // Whoever has gone on with the session meanwhile, or removed it, needs no title from here.
      if (!isMillraceError(error) || !overtaken.has(error.code)) onError(error)
    } finally {
      end(session, search)
    }
  }

  return {
    seek: (session, prompt) => {
      if (title === undefined) return
      const search: Search = { prompt, writer: undefined, timer: undefined }
      search.timer = setTimeout(() => end(session, search), titleTimeoutMs)
      searches.set(session, search)
    },
    follow: (session, writer) => {
      const search = searches.get(session)
      if (search === undefined) return
      const isFirst = search.writer === undefined
      search.writer = writer
      if (isFirst) void find(session, search, writer)
    },
    close: () => searches.forEach((search, session) => end(session, search)),
  }
}
