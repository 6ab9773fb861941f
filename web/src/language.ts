// A browser may name a language that Intl refuses, such as "en-US@posix" where no locale is set; uPlot asks for it while it is loaded.

try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en-US" });
}

export {};
