import { type Served, serve } from 'millrace/node'
import { createHandler, createMemoryStore } from 'millrace/server'
import type { Browser } from 'playwright-core'
import { launchChromium } from './chromium.ts'
import { buildPages } from './build-pages.ts'
import { createChatResponse } from './chat-response.ts'
import type { PageContent } from './content.ts'
import { type Closable, type OnClose, openTogether } from './open-together.ts'
import { createPlaying, type Playing } from './playing.ts'
import { createScriptedAgent } from './scripted-agent.ts'
import { studioFolder } from './studio-folder.ts'

/** A browser, and servers whose agent emits the content. */
export interface Stage extends Closable {
  readonly browser: Browser
  /** The address of Studio. */
  readonly studioUrl: string
  /** The address of the pages of the bench. */
  readonly pagesUrl: string
  /** Prepares content for the next page that requests it. */
  play(content: PageContent): Playing
}

/** Opens a {@link Stage}. */
export function openStage(): Promise<Stage> {
  return openTogether(openParts)
}

async function openParts(onClose: OnClose): Promise<Omit<Stage, 'close'>> {
  let playing: Playing | undefined
  const current = (): Playing => {
    if (playing === undefined) throw new Error('A page requested content before any was prepared.')
    return playing
  }
  const pagesFolder = await buildPages()
  const handler = createRoutes(current)
  const studioServer = await serve({ handler, port: 0, page: studioFolder })
  onClose(studioServer.close)
  const pagesServer = await serve({ handler, port: 0, page: pagesFolder })
  onClose(pagesServer.close)
  const browser = await launchChromium()
  onClose(() => browser.close())
  return {
    browser,
    studioUrl: studioServer.url,
    pagesUrl: pagesServer.url,
    play: (content) => (playing = createPlaying(content)),
  }
}

/** The agent behind the API of Millrace, and the same content for `useChat`. */
function createRoutes(current: () => Playing): Served {
  const handler = createHandler({
    agents: { scripted: createScriptedAgent(current) },
    defaultAgent: 'scripted',
    store: createMemoryStore(),
  })
  return {
    fetch: (request) =>
      new URL(request.url).pathname === '/chat'
        ? createChatResponse(current())
        : handler.fetch(request),
    close: () => handler.close(),
  }
}
