/** Tells whether a person in a browser has asked for something that is not there. */
export function isMissingPage({ method, headers }: Request, response: Response): boolean {
  if (method !== 'GET' || response.status !== 404) return false
  return wantsHtml(headers) && isJson(response.headers)
}

/** Says in a page what a refusal says in JSON, with the way to the page that is served. */
export async function toMissingPage(response: Response): Promise<Response> {
  const body = (await response.json().catch(() => null)) as Refusal
  const message = String(body?.error?.message ?? 'There is nothing here.')
  const headers = new Headers(response.headers)
  headers.set('content-type', 'text/html; charset=utf-8')
  headers.append('vary', 'accept')
  headers.delete('content-length')
  return new Response(toHtml(message), { status: response.status, headers })
}

/** What our handlers say; another one may say anything. */
type Refusal = { readonly error?: { readonly message?: unknown } } | null

/** Browsers name it when they open an address; scripts, images and tools do not. */
function wantsHtml(headers: Headers): boolean {
  return headers.get('accept')?.includes('text/html') === true
}

function isJson(headers: Headers): boolean {
  return headers.get('content-type')?.startsWith('application/json') === true
}

function toHtml(message: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Not found</title>
<h1>Not found</h1>
<p>${escapeHtml(message)}</p>
<p><a href="/">To the start page</a></p>
`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => entities[character] ?? '')
}
