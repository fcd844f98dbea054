#include "study/paper_figures.hpp"

#include <array>

namespace paco::study {

std::span<const PaperFigure> paper_figures() {
  static constexpr std::array figures{
      PaperFigure{"cub", "slc", "greedy", 31.3, 48.5, 22.7, 0},
      PaperFigure{"cub", "mldg", "greedy", 34.2, 57.9, 22.4, 0},
      PaperFigure{"cub", "rankstat", "greedy", 27.6, 46.2, 18.3, 0},
      PaperFigure{"cub", "wta", "greedy", 26.5, 45.0, 17.3, 0},
      PaperFigure{"cub", "smile", "greedy", 41.1, 67.6, 27.8, 0},
      PaperFigure{"cub", "paco", "greedy", 53.8, 79.7, 40.9, 0},
      PaperFigure{"cub", "slc", "strict", 28.6, 44.0, 20.9, 0},
      PaperFigure{"cub", "mldg", "strict", 29.5, 48.4, 20.1, 0},
      PaperFigure{"cub", "rankstat", "strict", 21.2, 26.9, 18.4, 0},
      PaperFigure{"cub", "wta", "strict", 21.9, 26.9, 19.4, 0},
      PaperFigure{"cub", "smile", "strict", 32.2, 50.9, 22.9, 0},
      PaperFigure{"cub", "smile-16", "strict", 31.9, 52.7, 21.5, 924},
      PaperFigure{"cub", "smile-32", "strict", 27.3, 52.0, 15.0, 2146},
      PaperFigure{"cub", "phe", "strict", 36.4, 55.8, 27.0, 0},
      PaperFigure{"cub", "phe+ssc", "strict", 39.1, 60.6, 28.3, 0},
      PaperFigure{"cub", "phe-16", "strict", 37.6, 57.4, 27.6, 318},
      PaperFigure{"cub", "phe-32", "strict", 38.5, 59.9, 27.8, 474},
      PaperFigure{"cub", "diffgre-s", "strict", 35.4, 58.2, 23.8, 0},
      PaperFigure{"cub", "diffgre-p", "strict", 37.9, 57.0, 28.3, 0},
      PaperFigure{"cub", "sync", "strict", 45.3, 54.3, 40.9, 444},
      PaperFigure{"cub", "age", "strict", 46.3, 59.8, 39.4, 397},
      PaperFigure{"cub", "age+ssc", "strict", 46.7, 60.8, 39.7, 0},
      PaperFigure{"cub", "paco", "strict", 49.7, 67.1, 41.0, 194},
  };
  return figures;
}

bool is_of(const PaperFigure& figure, std::string_view data) {
  return data.starts_with(figure.data);
}

}  // namespace paco::study
