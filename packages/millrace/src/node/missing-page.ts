/** Whether a browser has opened a missing page. */
export function isMissingPage({ method, headers }: Request, response: Response): boolean {
  if (method !== 'GET' || response.status !== 404) return false
  return wantsHtml(headers) && isJson(response.headers)
}

/** Converts an error response from JSON to a page with a link to the start page. */
export async function toMissingPage(response: Response): Promise<Response> {
  const body = (await response.json().catch(() => null)) as Refusal
  const message = String(body?.error?.message ?? 'The page was not found.')
  const headers = new Headers(response.headers)
  headers.set('content-type', 'text/html; charset=utf-8')
  headers.append('vary', 'accept')
  headers.delete('content-length')
  return new Response(toHtml(message), { status: response.status, headers })
}

/** The body of an error of our handlers; other handlers may send anything. */
type Refusal = { readonly error?: { readonly message?: unknown } } | null

/** Browsers accept HTML when they open an address; scripts, images and tools do not. */
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
<p><a href="/">Go to the start page</a></p>
`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => entities[character] ?? '')
}
