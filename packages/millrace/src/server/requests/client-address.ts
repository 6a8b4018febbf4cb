const addresses = new WeakMap<Request, string>()

/**
 * Tells the handler the remote address of a request, by which it counts uploads without a principal. `serve` does so;
 * a platform of your own may do so before it calls `handler.fetch` with the same request.
 */
export function setClientAddress(request: Request, address: string): void {
  addresses.set(request, address)
}

/** Returns the remote address of a request, if the platform has set one. */
export function clientAddressOf(request: Request): string | undefined {
  return addresses.get(request)
}
