/** Of questions that replace each other only the latest is wanted: each call aborts the signal that the last one gave. */
export class Latest {
  #current = new AbortController();

  begin(): AbortSignal {
    this.end();
    this.#current = new AbortController();
    return this.#current.signal;
  }

  end(): void {
    this.#current.abort();
  }
}
