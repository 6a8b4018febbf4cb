import { isMillraceError } from '../../errors/index.ts'
import type { Prompt } from '../../events/index.ts'
import type { JsonValue } from '../../json/index.ts'
import type { ChooseTitle } from '../handler-options.ts'
import type { KeyedLock } from '../timing.ts'

const overtaken: ReadonlySet<string> = new Set(['lease_lost', 'not_found'])

/** The writer of a session's record, and of its title. */
interface TitleWriter {
  /** Resolves with whether the writer may still call a model. */
  mayAsk(): Promise<boolean>
  retitle(title: string): Promise<void>
}

/** The pending titles of sessions. */
export interface SessionTitles {
  /** Requests the title of a new session, in the background. */
  seek(session: string, prompt: Prompt, context: JsonValue | undefined): void
  /** Sets the writer of a session's record and title. The title is requested once a writer may call a model. */
  follow(session: string, writer: TitleWriter): void
  /** Drops all pending titles. */
  close(): void
}

interface SessionTitlesOptions {
  readonly title: ChooseTitle | undefined
  readonly titleTimeoutMs: number
  readonly lock: KeyedLock
  readonly onError: (error: unknown) => void
}

/** A pending title. */
interface Search {
  readonly prompt: Prompt
  readonly context: JsonValue | undefined
  writer: TitleWriter | undefined
  timer: ReturnType<typeof setTimeout> | undefined
}

/** Creates the session titles. The writer of a record also writes the title, so that no two write at once. */
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
      const found = (await title?.(search.prompt, { context: search.context })) ?? ''
      if (!/\S/.test(found)) return
      // A new run has read the record and writes it again: the title is written before or after that.
      await lock(session, async () => search.writer?.retitle(toTitle(found)))
    } catch (error) {
      // Another server continues the session, or it was removed: no title is needed.
      if (!isMillraceError(error) || !overtaken.has(error.code)) onError(error)
    } finally {
      end(session, search)
    }
  }

  return {
    seek: (session, prompt, context) => {
      if (title === undefined) return
      const search: Search = { prompt, context, writer: undefined, timer: undefined }
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

const maxCharacters = 80

/** Creates the title of a session: the beginning of its first prompt. */
export function toTitle(prompt: Prompt): string {
  const text = typeof prompt === 'string' ? prompt : firstText(prompt)
  // Truncated before the pattern runs, so that the cost is the same for any prompt.
  const line = text
    .slice(0, maxCharacters * 4)
    .replace(/\s+/g, ' ')
    .trim()
  const characters = Array.from(line)
  if (characters.length <= maxCharacters) return line === '' ? 'Untitled' : line
  return `${characters.slice(0, maxCharacters - 1).join('')}…`
}

function firstText(blocks: Exclude<Prompt, string>): string {
  for (const { text } of blocks) if (typeof text === 'string') return text
  return ''
}
