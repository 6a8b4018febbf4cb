import { serve } from 'millrace/node'
import type { Browser } from 'playwright-core'
import { buildPages } from './build-pages.ts'
import { launchChromium } from './chromium.ts'
import type { Conversation } from './conversation.ts'
import { type Closable, type OnClose, openTogether } from './open-together.ts'
import { studioFolder } from './studio-folder.ts'

/** The page that shows a conversation: Studio, or one that draws all of it. */
export type Shower = 'studio' | 'whole'

/** A browser, and pages for a conversation that has ended. */
export interface ScrollStage extends Closable {
  readonly browser: Browser
  /** Passes a conversation to the pages; returns the address at which it is shown. */
  show(shower: Shower, conversation: Conversation): string
}

/** Opens a {@link ScrollStage}. */
export function openScrollStage(): Promise<ScrollStage> {
  return openTogether(openParts)
}

async function openParts(onClose: OnClose): Promise<Omit<ScrollStage, 'close'>> {
  let log = ''
  const handler = { fetch: ({ url }: Request) => answer(new URL(url).pathname, log) }
  const openServer = async (page: string): Promise<string> => {
    const server = await serve({ handler, port: 0, page })
    onClose(server.close)
    return server.url
  }
  const addresses: Readonly<Record<Shower, string>> = {
    studio: `${await openServer(studioFolder)}/`,
    whole: `${await openServer(await buildPages())}/whole.html`,
  }
  const browser = await launchChromium()
  onClose(() => browser.close())
  return {
    browser,
    show(shower, conversation) {
      log = conversation.log
      return `${addresses[shower]}?session=${conversation.session}`
    },
  }
}

/** The conversation has only its log. */
function answer(path: string, log: string): Response {
  if (path.endsWith('/stream'))
    return new Response(log, { headers: { 'content-type': 'text/event-stream' } })
  return Response.json({ error: { code: 'not_found', message: 'None.' } }, { status: 404 })
}
